/** Everything that a model sees of a tool, who may call it, and where it comes from. */
import { useEffect, useMemo, useRef } from "react";
import type { ReactNode } from "react";
import { sanitize, sanitizeLine, renderType, renderFullSignature } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, FactList } from "../../components/layout.tsx";
import { BUILT_IN_TEXT, isBuiltIn } from "../../format/built-in.ts";
import { itemKey } from "../../format/item-key.ts";
import { hrefOf } from "../../hooks/route.ts";
import { useLapsedTools } from "../inbox/stored-decisions.tsx";
import { AppBadges } from "./app-badges.tsx";
import { HiddenCharacters } from "./hidden-characters.tsx";
import { RuleSelect } from "./rule-select.tsx";
import { useNameFacts } from "./tool-names.tsx";

interface ToolCardProps {
  readonly tool: OfferedTool;
  /** The switch of the tool. */
  readonly actions?: ReactNode;
  /** Comes before the description. */
  readonly children?: ReactNode;
}

export function ToolCard({ tool, actions, children }: ToolCardProps) {
  const { server, tool: name, title, description, inputSchema, outputSchema, version } = tool;
  const isNative = isBuiltIn(server);
  const card = useRef<HTMLElement>(null);
  // In one column, the tool is below the list.
  useEffect(() => {
    if (matchMedia("(max-width: 900px)").matches) card.current?.scrollIntoView();
  }, []);
  const names = useNameFacts(tool);
  const lapsed = useLapsedTools();
  const signature = useMemo(() => renderFullSignature(name, inputSchema), [name, inputSchema]);
  return (
    <section ref={card} className="card" aria-label={sanitizeLine(name)}>
      <div className="card-head">
        <h2 className="grow">
          <code>{sanitizeLine(name)}</code>
          {title !== undefined && <span className="muted"> {sanitizeLine(title)}</span>}
        </h2>
        {isNative && <Badge>Built in</Badge>}
        <AppBadges tool={tool} />
        {lapsed.has(itemKey(server, name)) && <Badge tone="warn">changed since you allowed it</Badge>}
        {actions}
      </div>
      <div className="card-body stack">
        {children}
        <HiddenCharacters tool={tool} />
        <p className="prose measure">{sanitize(description)}</p>
        <div className="code-block signature" tabIndex={0} role="group" aria-label="Signature">
          {sanitize(signature)}
        </div>
        <Annotations tool={tool} />
        <FactList
          facts={[
            [
              "Origin",
              isNative ? (
                BUILT_IN_TEXT
              ) : (
                <a key="server" href={hrefOf("servers", server)}>
                  {sanitizeLine(server)}
                </a>
              ),
            ],
            ...names,
            ...(version === undefined ? [] : [["Version", sanitizeLine(version)] as const]),
            ["Permission", <RuleSelect key="rule" tool={tool} />],
            ...(outputSchema
              ? [["Returns", <code key="returns">{sanitize(renderType(outputSchema, outputSchema))}</code>] as const]
              : []),
          ]}
        />
        <details>
          <summary>Schema, as a model sees it</summary>
          <div className="code-block">
            <JsonView value={inputSchema} />
          </div>
        </details>
      </div>
    </section>
  );
}

/** The server's own claims. They decide nothing unless its definition says that they are trusted. */
function Annotations({ tool: { annotations = {}, server } }: { tool: OfferedTool }) {
  const claims = [
    annotations.readOnlyHint === true && "changes nothing",
    annotations.destructiveHint === true && "destructive",
    annotations.idempotentHint === true && "can be repeated",
    annotations.openWorldHint === true && "reaches other systems",
  ].filter((claim) => claim !== false);
  if (claims.length === 0) return null;
  return (
    <div className="row-wrap small muted">
      {isBuiltIn(server) ? "Properties:" : "The server’s own claims:"}
      {claims.map((claim) => (
        <Badge key={claim}>{claim}</Badge>
      ))}
    </div>
  );
}
