"""print a script that completes commands and models in a shell

Examples:
  lanewise completion bash >> ~/.bashrc
  lanewise completion zsh >> ~/.zshrc
  lanewise completion fish > ~/.config/fish/completions/lanewise.fish

Shells that are opened afterwards complete. For the one that is open:

  eval "$(lanewise completion bash)"
"""

import click
from click import shell_completion


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    from ..program import COMPLETE, NAME

    program = context.find_root().command
    kind = shell_completion.get_completion_class(shell)
    assert kind is not None
    print(kind(program, {}, NAME, COMPLETE).source())
