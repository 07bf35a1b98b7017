/** A message of the host. The words between backquotes are shown as code. */
import { sanitize } from "@plugboard/contracts";

export function MessageText({ text }: { text: string }) {
  const parts = sanitize(text).split("`");
  // Without a closing backquote, the last one is only a character.
  if (parts.length % 2 === 0) return <span className="prose">{parts.join("`")}</span>;
  return (
    <span className="prose">
      {parts.map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
    </span>
  );
}
