import type { Command } from '../command.ts';
import { completionScript, shells } from '../completion.ts';
import { unknownWord } from '../usage.ts';

/** @param all every command, this one too */
export function completionCommand(all: () => readonly Command[]): Command {
  return {
    name: 'completion',
    about: 'prints a script that completes commands in a shell: source <(watchpost completion bash)',
    operands: { shown: shells.join('|'), least: 1, most: 1 },
    async run({ operands: [given = ''], terminal }) {
      const shell = shells.find((each) => each === given);
      if (!shell) throw unknownWord('shell', given, shells);
      terminal.out(completionScript(shell, all()));
      return true;
    },
  };
}
