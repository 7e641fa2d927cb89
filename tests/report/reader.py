"""Reads pages back, strictly."""

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "col", "img", "input"}


class Reader(HTMLParser):
    """Collects elements and texts, and insists that every element is closed in order."""

    def __init__(self):
        super().__init__()
        self.stack, self.elements, self.texts = [], [], []

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in VOID:
            self.stack.append(name)

    def handle_endtag(self, name):
        assert self.stack, f"</{name}> closes nothing"
        assert self.stack.pop() == name

    def handle_data(self, data):
        if not self.stack or self.stack[-1] not in ("style", "script"):
            self.texts.append(data)

    @classmethod
    def read(cls, page):
        reader = cls()
        reader.feed(page)
        reader.close()
        assert not reader.stack
        return reader
