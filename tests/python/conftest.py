"""What holds for the tests of this folder: none sees a GPU but those that are about one."""

import gpu

gpu.hide()
