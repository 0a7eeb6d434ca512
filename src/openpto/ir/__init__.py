"""Tile IR: data types, symbolic integers, recording, SSA form, text form and verifier."""
