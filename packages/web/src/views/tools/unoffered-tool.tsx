/** A tool that is not offered: why, what it is, and the controls to offer it again. */
import type { ReactNode } from "react";
import { isHostError, sanitizeLine } from "@plugboard/contracts";
import type { DescribedTool, ServerStatus } from "@plugboard/contracts";
import { Badge, Card, FactList, Notice } from "../../components/layout.tsx";
import { isBuiltIn } from "../../format/built-in.ts";
import { hrefOf } from "../../hooks/route.ts";
import { usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { useTrial } from "../../hooks/use-trials.ts";
import { RuleSelect } from "./rule-select.tsx";
import { ToolCard } from "./tool-card.tsx";
import { ToolSwitch } from "./tool-switch.tsx";
import { TrialResult } from "./trial-result.tsx";

interface Reason {
  readonly key: string;
  readonly text: ReactNode;
}

export function UnofferedTool({ server, tool }: { server: string; tool: string }) {
  // A call can crash its own server. Then the tool is not offered any more, but the error of the call is still shown.
  const trial = useTrial(server, tool);
  const revision = usePage((state) => state.configRevision);
  const catalogRevision = usePage((state) => state.catalogRevision);
  const status = usePage((state) => state.servers.find(({ id }) => id === server));
  const rules = useLoad(({ operations }) => operations.rules({ server, tool }), [server, tool, revision]);
  const hidden = useLoad(({ operations }) => operations.hiddenTools(), [revision]);
  const described = useLoad(
    ({ workspace }) => workspace.tools.describe({ server, tool }).catch(undefinedIfUnknown),
    [server, tool, revision],
    catalogRevision,
  );
  const error = rules.error ?? hidden.error ?? described.error;
  if (error !== undefined) {
    return (
      <BareTool tool={tool}>
        <Notice tone="danger">{error}</Notice>
      </BareTool>
    );
  }
  if (!rules.data || !hidden.data || (described.loading && !described.data)) return null;
  const denials = rules.data.filter(({ effect, rule }) => effect === "deny" && !rule.includes("("));
  const isOff = hidden.data.some((one) => one.server === server && one.tool === tool);
  const offReason = isOff ? "It is switched off. The switch is above." : offText(server, described.data?.off);
  const reasons: readonly Reason[] = [
    ...denials.map(({ rule, source, file }) => ({
      key: `${rule} ${file}`,
      text: (
        <>
          A rule denies it: <Badge tone="danger">deny</Badge> <code>{sanitizeLine(rule)}</code> ({source}).{" "}
          {changeText(rule === `${server}:${tool}` && source === "user", file)}
        </>
      ),
    })),
    ...(offReason ? [{ key: "off", text: offReason }] : []),
    ...(isBuiltIn(server) ? [] : serverReasons(server, status)),
  ];
  const toolSwitch = isOff && <ToolSwitch server={server} tool={tool} enabled={false} />;
  const notice = <NotOffered reasons={reasons} server={server} />;
  if (!described.data) {
    return (
      <BareTool tool={tool} actions={toolSwitch}>
        {notice}
        <FactList facts={[["Permission", <RuleSelect key="rule" tool={{ server, tool }} />]]} />
      </BareTool>
    );
  }
  return (
    <>
      <ToolCard tool={described.data} actions={toolSwitch}>
        {notice}
      </ToolCard>
      <Card title="Try it">
        <p className="muted">A call is not possible while the tool is not offered. The reasons are above.</p>
        <TrialResult trial={trial} />
      </Card>
    </>
  );
}

/** A tool of which only the name is known. */
function BareTool({ tool, actions, children }: { tool: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="card" aria-label={sanitizeLine(tool)}>
      <div className="card-head">
        <h2 className="grow">
          <code>{sanitizeLine(tool)}</code>
        </h2>
        {actions}
      </div>
      <div className="card-body stack">{children}</div>
    </section>
  );
}

function NotOffered({ reasons, server }: { reasons: readonly Reason[]; server: string }) {
  const unknown = isBuiltIn(server)
    ? "The host has no such tool here. Some built-in tools exist only in chats."
    : "The server does not list it.";
  return (
    <Notice tone="warn">
      <strong>Models and clients don’t get this tool now.</strong>
      <ul className="reasons">
        {reasons.map(({ key, text }) => (
          <li key={key}>{text}</li>
        ))}
        {reasons.length === 0 && <li>{unknown}</li>}
      </ul>
    </Notice>
  );
}

/** Returns undefined if the cause is not known. */
function offText(server: string, cause: DescribedTool["off"]): ReactNode {
  if (!cause) return undefined;
  // A tool of the host is off while it is of no use. The cause is then the same as if a program had switched it off.
  if (isBuiltIn(server)) return "It is not needed now, or a program has switched it off until the host restarts.";
  return OFF_TEXTS[cause];
}

/** A tool can be off without a line of its own in the config file. */
const OFF_TEXTS: { readonly [Cause in NonNullable<DescribedTool["off"]>]: ReactNode } = {
  "tools.exclude": (
    <>
      A pattern in <code>tools.exclude</code> of the server’s definition excludes it.
    </>
  ),
  "tools.include": (
    <>
      The patterns in <code>tools.include</code> of the server’s definition leave it out.
    </>
  ),
  program: "The command line or the program that started the host excludes it.",
  tool_disabled: "A program has switched it off until the host restarts.",
  server_disabled: "A program has hidden the tools of its server until the host restarts.",
};

function changeText(isOwnRule: boolean, file: string): ReactNode {
  if (isOwnRule) return "Choose another permission below.";
  return (
    <>
      Change it in <code>{sanitizeLine(file)}</code>.
    </>
  );
}

function serverReasons(id: string, status: ServerStatus | undefined): readonly Reason[] {
  const name = <a href={hrefOf("servers", id)}>{sanitizeLine(id)}</a>;
  if (!status) return [{ key: "server", text: <>There is no server {sanitizeLine(id)}.</> }];
  if (!status.enabled) return [{ key: "server", text: <>The server {name} is disabled.</> }];
  if (status.state !== "ready") return [{ key: "server", text: <>The server {name} is not ready.</> }];
  return [];
}

function undefinedIfUnknown(error: unknown): undefined {
  if (isHostError(error) && error.code === "TOOL_NOT_FOUND") return undefined;
  throw error;
}
