"""The document and its history: plain values, no Qt."""
