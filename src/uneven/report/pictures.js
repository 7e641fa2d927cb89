/* Charts as PNG files, for slides. */
(() => {
  const SCALE = 3;
  const STYLES = [
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin",
    "stroke-linecap", "opacity", "font-family", "font-size", "font-weight", "text-anchor",
    "dominant-baseline",
  ];

  /* A copy that carries its style with it. */
  const copy = (svg) => {
    const twin = svg.cloneNode(true);
    const parts = [...twin.querySelectorAll("*")];
    [...svg.querySelectorAll("*")].forEach((part, i) => {
      const style = getComputedStyle(part);
      for (const name of STYLES) parts[i].style.setProperty(name, style.getPropertyValue(name));
    });
    const { width, height } = svg.viewBox.baseVal;
    twin.setAttribute("width", width * SCALE);
    twin.setAttribute("height", height * SCALE);
    twin.style.background = getComputedStyle(document.body).backgroundColor;
    return twin;
  };

  const save = (svg, name) => {
    const image = new Image();
    image.addEventListener("load", () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext("2d").drawImage(image, 0, 0);
      canvas.toBlob((blob) => uneven.save(blob, `${name}.png`));
    });
    const drawn = new XMLSerializer().serializeToString(copy(svg));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn)}`;
  };

  uneven.pictureButton = (find, name) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet png";
    button.textContent = "PNG";
    button.title = `Save the chart as ${name}.png`;
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", () => save(find(), name));
    return button;
  };

  const plain = (words) => words.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

  for (const svg of document.querySelectorAll("figure svg.matrix, figure svg.chart")) {
    const kind = svg.classList.contains("matrix") ? "confusion" : "chart";
    const figure = svg.closest("figure");
    const title = figure.dataset.label ?? figure.querySelector("figcaption")?.textContent ?? "";
    const name = svg.classList.contains("square") ? "calibration" : kind;
    svg.after(uneven.pictureButton(() => svg, plain(`${name} ${title}`.slice(0, 60))));
  }
})();
