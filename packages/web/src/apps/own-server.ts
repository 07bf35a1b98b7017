/** The ports through which an App reaches its own server. It can name no other server. */
import { HostError } from "@plugboard/contracts";
import type { Workspace } from "@plugboard/contracts";
import type { AppPorts } from "./app-ports.ts";

/** `setCalls` changes the list of the tools that the App calls now. `stopped` cancels what is under way. */
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
      setCalls((old) => [...old, name]);
      try {
        return await tools.call({ server, tool: name }, args, signal);
      } finally {
        setCalls((old) => old.toSpliced(old.indexOf(name), 1));
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
