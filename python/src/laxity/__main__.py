"""Entry of ``python -m laxity``."""

import sys

from laxity.command_line import main

if __name__ == "__main__":
    sys.exit(main())
