/** One tool: everything that a model sees, who may call it, and a form to try it. */
import { useEffect, useMemo, useRef } from "react";
import { isJsonObject, sanitize, sanitizeLine } from "@plugboard/contracts";
import type { Json, JsonObject, OfferedTool, RuleEffect } from "@plugboard/contracts";
import { Select, Switch } from "../../components/field.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, Facts, Notice } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { schemaText, toolSignature } from "../../schema/signature.ts";
import { hrefOf } from "../../shell/route.ts";
import { useClient, useLoad, usePage } from "../../store/context.tsx";
import { TryTool } from "./try-tool.tsx";

export function ToolView({ tool }: { tool: OfferedTool }) {
  const { server, tool: name, title, description, inputSchema, outputSchema, name: modelName, version, origin } = tool;
  const card = useRef<HTMLElement>(null);
  // In one column, the tool is below the list.
  useEffect(() => {
    if (matchMedia("(max-width: 900px)").matches) card.current?.scrollIntoView();
  }, []);
  const signature = useMemo(() => toolSignature(name, inputSchema), [name, inputSchema]);
  return (
    <>
      <section ref={card} className="card" aria-label={sanitizeLine(name)}>
        <div className="card-head">
          <h2 className="grow">
            <code>{sanitizeLine(name)}</code>
            {title !== undefined && <span className="muted"> {sanitizeLine(title)}</span>}
          </h2>
          <ToolSwitch tool={tool} />
        </div>
        <div className="card-body stack">
          <HiddenCharacters tool={tool} />
          <p className="prose measure">{sanitize(description)}</p>
          <div className="code-block signature" tabIndex={0} role="group" aria-label="Signature">
            {sanitize(signature)}
          </div>
          <Annotations tool={tool} />
          <Facts
            facts={[
              [
                "Origin",
                origin === "native" ? (
                  "this host"
                ) : (
                  <a key="server" href={hrefOf("servers", server)}>
                    {sanitizeLine(server)}
                  </a>
                ),
              ],
              ["Name for models", <code key="name">{sanitizeLine(modelName)}</code>],
              ...(version === undefined ? [] : [["Version", sanitizeLine(version)] as const]),
              ["Permission", <RuleSelect key="rule" tool={tool} />],
              ...(outputSchema
                ? [["Returns", <code key="returns">{sanitize(schemaText(outputSchema, outputSchema))}</code>] as const]
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
      <TryTool tool={tool} />
    </>
  );
}

/** Models read characters that people can't see. */
function HiddenCharacters({ tool: { tool, title = "", description, inputSchema } }: { tool: OfferedTool }) {
  const hides = useMemo(() => {
    // JSON escapes some characters, so names and texts of the schema are read from the parsed values.
    const texts = [tool, title, description, ...textsIn(inputSchema)];
    return texts.some((text) => sanitize(text) !== text);
  }, [tool, title, description, inputSchema]);
  if (!hides) return null;
  return (
    <Notice tone="warn">
      The texts of this tool contain characters that are not visible. They are shown here as <code>{"<U+…>"}</code>, and
      a model reads them. Servers hide instructions in this way.
    </Notice>
  );
}

const MAX_TEXTS = 5000;

/** Returns the names and texts of a schema. A server decides how large it is. */
function textsIn(schema: JsonObject): string[] {
  const texts: string[] = [];
  const pending: Json[] = [schema];
  while (pending.length > 0 && texts.length < MAX_TEXTS) {
    const value = pending.pop()!;
    if (typeof value === "string") texts.push(value);
    else if (Array.isArray(value)) pending.push(...value.slice(0, MAX_TEXTS));
    else if (isJsonObject(value)) {
      texts.push(...Object.keys(value));
      pending.push(...(Object.values(value) as Json[]));
    }
  }
  return texts;
}

/** The server's own claims. They decide nothing unless its definition says that they are trusted. */
function Annotations({ tool: { annotations = {} } }: { tool: OfferedTool }) {
  const claims = [
    annotations.readOnlyHint === true && "changes nothing",
    annotations.destructiveHint === true && "destructive",
    annotations.idempotentHint === true && "can be repeated",
    annotations.openWorldHint === true && "reaches other systems",
  ].filter((claim) => claim !== false);
  if (claims.length === 0) return null;
  return (
    <div className="row-wrap small muted">
      The server’s own claims:
      {claims.map((claim) => (
        <Badge key={claim}>{claim}</Badge>
      ))}
    </div>
  );
}

function ToolSwitch({ tool: { server, tool, origin } }: { tool: OfferedTool }) {
  const client = useClient();
  const { report } = useToaster();
  if (origin === "native") return null;
  const disable = async () => {
    const disabled = async () => {
      await client.connected.management.enableTool(server, tool, false);
      await client.reloadConfig();
    };
    await report(disabled(), `${server}:${tool} is switched off`);
  };
  return <Switch checked label={`Offer ${sanitizeLine(tool)}`} onChecked={() => void disable()} />;
}

function RuleSelect({ tool: { server, tool } }: { tool: OfferedTool }) {
  const client = useClient();
  const { report } = useToaster();
  const revision = usePage((state) => state.configRevision);
  const rules = useLoad(({ management }) => management.rules(), [revision]);
  const rule = `${server}:${tool}`;
  const own = rules.data?.find((one) => one.rule === rule && one.source === "user")?.effect;
  const other = rules.data?.filter((one) => one.rule !== rule && mayConcern(one.rule, server, tool)) ?? [];
  const change = async (value: string) => {
    const effect = value === "" ? undefined : (value as RuleEffect);
    const saved = async () => {
      await client.connected.management.setRule(rule, effect);
      await client.reloadConfig();
    };
    await report(saved(), `The rule of ${rule} is saved`);
    rules.reload();
  };
  return (
    <div className="stack-tight">
      <Select
        aria-label={`Permission of ${sanitizeLine(rule)}`}
        value={own ?? ""}
        onValue={(value) => void change(value)}
        choices={[
          { value: "", label: "No rule of its own" },
          { value: "allow", label: "Allow always" },
          { value: "ask", label: "Ask each time" },
          { value: "deny", label: "Deny always" },
        ]}
      />
      {other.map((one) => (
        <div key={`${one.effect} ${one.rule} ${one.file}`} className="small muted">
          {one.effect} <code>{sanitizeLine(one.rule)}</code> ({one.source})
        </div>
      ))}
    </div>
  );
}

/** `*` stands for any text, as in the rules of the host. A condition on arguments may or may not apply. */
function mayConcern(rule: string, server: string, tool: string): boolean {
  const [pattern = ""] = rule.split("(", 1);
  const [serverPart = "", toolPart = "*"] = pattern.split(":");
  return matches(serverPart, server) && matches(toolPart, tool);
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`).test(text);
}
