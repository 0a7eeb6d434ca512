"""Cases that need something not available yet: file name -> the ops and dtypes it waits for.

Each of them must end in a coded stop. One that passes has to leave the list, so the list never lags behind.
"""

WAITING: dict[str, str] = {}
