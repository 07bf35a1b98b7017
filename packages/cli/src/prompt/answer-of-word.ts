import type { AnswerName, AnswerRow, PermissionAnswer } from "@plugboard/contracts";

/** Returns the permission answer that a typed letter or word stands for, or undefined for any other text. */
export function answerOfWord(
  typed: string,
  answers: readonly (readonly [AnswerName, AnswerRow])[],
): PermissionAnswer | undefined {
  const word = typed.toLowerCase();
  const found = answers.find(([name, { letter, words }]) => [name, letter, ...(words ?? [])].includes(word));
  return found?.[1].answer;
}
