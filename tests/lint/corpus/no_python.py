import pypto


def kernel(x:  # expect: PTO700
    pass
