"""Fitted classifiers as ONNX graphs, which many runtimes can run without Python."""

from uneven.persistence.onnx.export import export_onnx
from uneven.persistence.onnx.graph import NotExportableError

__all__ = ["NotExportableError", "export_onnx"]
