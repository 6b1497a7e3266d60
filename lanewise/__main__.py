"""python -m lanewise: the command line."""

from .cli import main

raise SystemExit(main())
