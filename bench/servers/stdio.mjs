// @ts-check
/** A legacy stdio server. Answers all messages of one chunk with one write. */
import { answer } from "./answer.mjs";

let rest = "";

process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  let answers = "";
  for (const line of lines) {
    const one = answer(line);
    if (one !== "") answers += `${one}\n`;
  }
  if (answers !== "") process.stdout.write(answers);
});
