/** The ports through which an App reaches its own server. It can name no other server. */
import { HostError } from "@plugboard/contracts";
import type { Workspace } from "@plugboard/contracts";
import { newCallId } from "../store/page-call.ts";
import type { AppPorts } from "./app-ports.ts";

/** `setCalls` changes the list of the App's open calls, by id. `stopped` cancels the open calls and requests. */
export function ownServerPorts(
  server: string,
  workspace: () => Workspace,
  setCalls: (change: (old: readonly string[]) => readonly string[]) => void,
  stopped: AbortSignal,
): Pick<AppPorts, "callTool" | "readResource" | "listResources"> {
  const signal = { signal: stopped };
  return {
    callTool: async (name, args) => {
      const { tools } = workspace();
      const called = (await tools.list()).find((one) => one.server === server && one.tool === name);
      if (!called || called.ui?.forApps === false) throw new HostError("TOOL_NOT_FOUND", { tool: `${server}:${name}` });
      const id = newCallId();
      setCalls((old) => [...old, id]);
      try {
        return await tools.call({ server, tool: name }, args, { id, ...signal });
      } finally {
        setCalls((old) => old.filter((one) => one !== id));
      }
    },
    readResource: (uri) => workspace().resources.read(server, uri, signal),
    listResources: async () => {
      const { resources } = await workspace().resources.list({ server, ...signal });
      return resources.map((resource) => {
        const { server: _, ...own } = resource;
        return own;
      });
    },
  };
}
