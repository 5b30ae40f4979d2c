import { type Command, commonFlags, type Flags } from './command.ts';
import { unknownWord } from './usage.ts';

const shells = ['bash', 'zsh'] as const;

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

/** A script that completes commands, flags and their values in a shell. */
function completionScript(shell: (typeof shells)[number], commands: readonly Command[]): string {
  const nouns = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
  const withVerbs = nouns.filter((noun) => commands.some(({ name }) => name.startsWith(`${noun} `)));
  const verbs = withVerbs.map((noun) => {
    const found = commands.flatMap(({ name }) => (name.startsWith(`${noun} `) ? [name.slice(noun.length + 1)] : []));
    return `    ${noun}) words="${found.join(' ')}" ;;`;
  });
  const flags = commands.map(
    ({ name, flags: own = {} }) => `      "${name}") words="${namesOf({ ...own, ...commonFlags })}" ;;`,
  );
  const values = commands.flatMap(({ name, flags: own = {} }) => valuesOf(name, { ...own, ...commonFlags }));
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_watchpost() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" noun="\${COMP_WORDS[1]}" words=""
  local command="$noun"
  case "$noun" in
${withVerbs.map((noun) => `    ${noun}) command="$noun \${COMP_WORDS[2]}" ;;`).join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${nouns.join(' ')} --help --version"
  elif [ "$COMP_CWORD" -eq 2 ] && [ "$command" != "$noun" ]; then
    case "$noun" in
${verbs.map((line) => `  ${line}`).join('\n')}
    esac
  else
    case "$command $before" in
${values.join('\n')}
      *) case "$command" in
${flags.join('\n')}
      esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _watchpost watchpost
`;
}

function namesOf(flags: Flags): string {
  return Object.keys(flags)
    .map((name) => `--${name}`)
    .join(' ');
}

function valuesOf(command: string, flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, { oneOf, value }]) => {
    if (value === undefined) return [];
    return [`      "${command} --${name}") words="${oneOf?.join(' ') ?? ''}" ;;`];
  });
}
