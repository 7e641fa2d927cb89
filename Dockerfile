# An image that predicts with a model in ONNX format: uneven export model.skops model.onnx
# docker build --tag predict . && docker run --interactive predict < new.csv
FROM python:3.12-slim
RUN pip install --no-cache-dir "numpy>=1.26" "onnxruntime>=1.30" \
    && pip uninstall --yes pip \
    && find /usr/local/lib -name __pycache__ -prune -exec rm -rf {} + \
    && useradd --no-create-home predict
COPY examples/predict_onnx.py model.onnx /app/
USER predict
ENTRYPOINT ["python", "-B", "/app/predict_onnx.py", "/app/model.onnx"]
