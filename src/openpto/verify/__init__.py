"""Verification of operators from the text to the device, replays of calls, and small programs made of large ones."""
