/** Lists the names of answers to a permission question, such as "once, session or no". */
import type { answerRows } from "@plugboard/contracts";

export function listAnswers(rows: ReturnType<typeof answerRows>): string {
  const names = rows.map(([name]) => name);
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
