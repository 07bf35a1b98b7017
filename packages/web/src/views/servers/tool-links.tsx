/** A list of tools, each with a link to its page. */
import { sanitizeLine } from "@plugboard/contracts";
import { hrefOf } from "../../hooks/route.ts";

interface ToolLinksProps {
  readonly tools: readonly { readonly server: string; readonly name: string; readonly description?: string }[];
}

export function ToolLinks({ tools }: ToolLinksProps) {
  return (
    <ul className="card link-list">
      {tools.map(({ server, name, description = "" }) => (
        <li key={name}>
          <a href={hrefOf("tools", server, name)}>
            <code>{sanitizeLine(name)}</code>
            <div className="small muted cut">{sanitizeLine(description)}</div>
          </a>
        </li>
      ))}
    </ul>
  );
}
