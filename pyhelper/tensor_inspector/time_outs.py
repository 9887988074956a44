"""Has the debugger not act when an evaluate of ours takes long, as on a busy machine.

This file is sent before all others and runs before anything else is compiled. It knows pydevd as `debugger.py` does,
and calls none of the built-in functions, which the program may have replaced.
"""

import sys
import threading
from typing import Any


def dispose(with_remedies: bool = True) -> None:
    """Have the debugger not warn of the evaluate that this thread is in; nor, ``with_remedies``, let other threads run
    or interrupt this one meanwhile, as a user may have asked it to for code that waits for another thread."""
    try:
        timer = sys.modules["_pydevd_bundle.pydevd_constants"].get_global_debugger().timeout_tracker._thread
        with timer._lock:
            for handle in timer._handles:
                action = handle.on_timeout  # None: it is over
                if action is not None and _is_of_this_thread(action):
                    handle.disposed = with_remedies or action.__name__ == "on_warn_evaluation_timeout"
    except Exception:  # no debugger, or one that is not as we know it
        return


def _is_of_this_thread(action: Any) -> bool:
    """Whether it is about the thread that is in its closure, as an object or by its number."""
    names, cells = action.__code__.co_freevars, action.__closure__
    for name in ("curr_thread", "main_thread"):
        if name in names:
            return cells[names.index(name)].cell_contents is threading.current_thread()
    return "tid" in names and cells[names.index("tid")].cell_contents == threading.get_ident()
