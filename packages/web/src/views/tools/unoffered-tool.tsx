/** A tool that is not offered: why, and the controls that offer it again. */
import type { ReactNode } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { Badge, Facts } from "../../components/layout.tsx";
import { hrefOf } from "../../shell/route.ts";
import { usePage } from "../../store/context.tsx";
import { useLoad } from "../../store/use-load.ts";
import { RuleSelect } from "./rule-select.tsx";
import { ToolSwitch } from "./tool-switch.tsx";

export function UnofferedTool({ server, tool }: { server: string; tool: string }) {
  const revision = usePage((state) => state.configRevision);
  const status = usePage((state) => state.servers.find(({ id }) => id === server));
  const rules = useLoad(({ management }) => management.rules({ server, tool }), [server, tool, revision]);
  const hidden = useLoad(({ management }) => management.hiddenTools(), [revision]);
  if (!rules.data || !hidden.data) return null;
  const denials = rules.data.filter(({ effect, rule }) => effect === "deny" && !rule.includes("("));
  const isOff = hidden.data.some((one) => one.server === server && one.tool === tool);
  const reasons: [string, ReactNode][] = [
    ...denials.map(({ rule, source, file }): [string, ReactNode] => [
      `${rule} ${file}`,
      <>
        A rule denies it: <Badge tone="danger">deny</Badge> <code>{sanitizeLine(rule)}</code> ({source})
      </>,
    ]),
    ...(isOff ? [["off", <span key="off">It is switched off.</span>] as [string, ReactNode]] : []),
    ...(server === "native" ? [] : serverReasons(server, status)),
  ];
  return (
    <section className="card" aria-label={sanitizeLine(tool)}>
      <div className="card-head">
        <h2 className="grow">
          <code>{sanitizeLine(tool)}</code>
        </h2>
        {isOff && <ToolSwitch server={server} tool={tool} enabled={false} />}
      </div>
      <div className="card-body stack">
        <p>This tool is not offered now.</p>
        <ul className="reasons">
          {reasons.map(([key, reason]) => (
            <li key={key}>{reason}</li>
          ))}
          {reasons.length === 0 && (
            <li>
              The server does not list it, or a pattern in <code>tools.exclude</code> of its definition hides it.
            </li>
          )}
        </ul>
        <Facts facts={[["Permission", <RuleSelect key="rule" tool={{ server, tool }} />]]} />
      </div>
    </section>
  );
}

function serverReasons(id: string, status: ServerStatus | undefined): [string, ReactNode][] {
  const name = <a href={hrefOf("servers", id)}>{sanitizeLine(id)}</a>;
  if (!status) return [["server", <>There is no server {sanitizeLine(id)}.</>]];
  if (!status.enabled) return [["server", <>The server {name} is disabled.</>]];
  if (status.state !== "ready") return [["server", <>The server {name} is not ready.</>]];
  return [];
}
