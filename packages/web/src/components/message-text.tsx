/** A message of the host. The words between backquotes are shown as code. */
import { sanitize } from "@plugboard/contracts";

export function MessageText({ text }: { text: string }) {
  const parts = sanitize(text).split("`");
  // One backquote has no partner, so the whole text is shown as it is.
  if (parts.length % 2 === 0) return <span className="prose">{parts.join("`")}</span>;
  return (
    <span className="prose">
      {parts.map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
    </span>
  );
}
