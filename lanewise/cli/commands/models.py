"""the models that come with Lanewise, by name

Commands that take a model take these names too.

Examples:
  lanewise models
  lanewise models --paths
"""

import json
import re

import click

from ..options import json_option


@click.command()
@click.option("--paths", is_flag=True, help="Print where they are.")
@json_option
def command(paths: bool, as_json: bool) -> None:
    from ... import models

    names = models.names()
    facts = {name: {"path": str(models.path(name)), "about": about(name)} for name in names}
    if as_json:
        print(json.dumps(facts, indent=2))
    elif paths:
        print("\n".join(fact["path"] for fact in facts.values()))
    else:
        width = max(map(len, names))
        print("\n".join(f"{name:<{width}}  {fact['about']}" for name, fact in facts.items()))


def about(name: str) -> str:
    """The first sentence of what a model is."""
    from ... import models

    return re.split(r"(?<=[.])\s", models.about(name))[0].rstrip(".")
