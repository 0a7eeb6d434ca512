"""What is made once a process, asked for by several threads at a time."""

import threading
import time

from openpto.runtime.native.once import once


def test_threads_that_ask_first_get_one_thing():
    made = []

    @once
    def slow():
        time.sleep(0.05)
        made.append(object())
        return made[-1]

    got = []
    threads = [threading.Thread(target=lambda: got.append(slow())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert set(map(id, got)) == {id(made[0])}


def test_what_fails_is_made_again():
    tries = []

    @once
    def late():
        tries.append(1)
        if len(tries) == 1:
            raise OSError("not yet")
        return len(tries)

    for wanted in (OSError, 2, 2):
        try:
            assert late() == wanted
        except OSError:
            assert wanted is OSError
