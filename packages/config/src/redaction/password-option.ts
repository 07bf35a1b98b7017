/** Recognises options of known programs whose value is a password. Pure. */

/** The form of the value: a password, or a user name and a password. */
export type SecretForm = "secret" | "user:password";

interface PasswordOption {
  readonly name: string;
  /** Empty if the value is the next word. */
  readonly value: string;
  readonly form: SecretForm;
}

const PASSWORD_OPTIONS: readonly (readonly [program: RegExp, option: RegExp, form: SecretForm])[] = [
  [/^(?:sshpass|mysql|mysqldump|mysqladmin|mariadb)$/, /^(-p)([^]*)$/, "secret"],
  [/^(?:curl|wget)$/, /^(-[a-z]*?u|--(?:proxy-)?user(?:=|$))([^]*)$/i, "user:password"],
];

/** Returns undefined for a word that is not the name or path of a program in the table. */
export function knownProgram(word: string): string | undefined {
  const name = word.slice(word.lastIndexOf("/") + 1);
  return PASSWORD_OPTIONS.some(([program]) => program.test(name)) ? name : undefined;
}

/** Returns undefined if the word is not such an option of the program. */
export function passwordOption(program: string, word: string): PasswordOption | undefined {
  for (const [programPattern, optionPattern, form] of PASSWORD_OPTIONS) {
    const [, name, value] = (programPattern.test(program) && optionPattern.exec(word)) || [];
    if (name !== undefined && value !== undefined) return { name, value, form };
  }
  return undefined;
}
