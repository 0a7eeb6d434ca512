"""placeholder"""
def check(trace, copies):
    pass
