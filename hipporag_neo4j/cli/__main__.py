"""`python -m hipporag_neo4j.cli`: the same as the command `hipporag-neo4j`."""

import sys

from hipporag_neo4j.cli import main

sys.exit(main())
