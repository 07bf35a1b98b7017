/** Shows the diff of a client's config file before it is written. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ClientPlan } from "@plugboard/contracts";
import { Notice } from "../../components/layout.tsx";

const MARKS = { added: "+ ", removed: "− ", context: "  " };

export function FileDiff({ plan: { file, action, diff, notes } }: { plan: ClientPlan }) {
  return (
    <>
      <p>
        {action === "none" ? "Nothing needs to change in " : "This changes "}
        <code>{sanitizeLine(file)}</code>
        {action === "none" ? "." : ":"}
      </p>
      {diff.length > 0 && (
        <div className="diff code-block" role="group" aria-label="Change of the file" tabIndex={0}>
          {diff.map(({ kind, text }, index) => (
            <div key={index} className={`diff-line diff-${kind}`}>
              {MARKS[kind]}
              {sanitizeLine(text)}
            </div>
          ))}
        </div>
      )}
      {diff.length > 0 && <p className="small muted">Values of other servers are masked here, not in the file.</p>}
      {notes.map((note) => (
        <Notice key={note}>{sanitizeLine(note)}</Notice>
      ))}
    </>
  );
}
