/** The names of a tool. Models in chats and clients of the gateway get different names. */
import type { ReactNode } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { CopyButton } from "../../components/button.tsx";
import { isBuiltIn } from "../../format/built-in.ts";
import { usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";

/** Returns a row for each name that differs from those before it. */
export function useNameFacts({ server, tool, name }: OfferedTool): readonly (readonly [string, ReactNode])[] {
  const revision = usePage((state) => state.configRevision);
  const front = useLoad(
    async ({ operations }) => (isBuiltIn(server) ? undefined : operations.frontNames(server, tool)),
    [server, tool, revision],
  ).data;
  if (!isBuiltIn(server) && !front) return [];
  const forClients =
    front === undefined || front.name === name ? [] : [["Name for clients", front.name, true] as const];
  const forProfiles = (front?.profiles ?? []).map((one) => [`In profile ${one.profile}`, one.name, false] as const);
  const isOnlyName = forClients.length === 0 && front !== undefined;
  const names = [[isOnlyName ? "Name" : "Name in chats", name, false] as const, ...forClients, ...forProfiles];
  return names.map(([label, text, isForClients]) => [
    label,
    <Name key={label} label={label} name={text}>
      {isForClients && "Clients of the gateway see this name, most of them behind a prefix of their own."}
    </Name>,
  ]);
}

function Name({ label, name, children }: { label: string; name: string; children: ReactNode }) {
  return (
    <>
      <span className="row-wrap">
        <code>{sanitizeLine(name)}</code>
        <CopyButton text={name} aria-label={`Copy: ${label}`} />
      </span>
      {children !== false && <div className="small muted">{children}</div>}
    </>
  );
}
