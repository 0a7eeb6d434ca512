"""The jit object: signature, binding, specialisation, caches and receipts."""
