/**
 * The tool `log_in`, which the host adds to the tools of a server while a principal of the gateway
 * is not logged in there. The server lists its tools only to logged-in users, so without this tool a
 * new principal would see nothing to call.
 */
import type { JsonObject } from "@plugboard/contracts";
import type { NativeContext, NativeTool } from "./native-tool.ts";

export const REDIRECT_URL = "redirect_url";

/** Logs in, or throws. `redirectUrl` is the URL at which the browser ended, if the user was asked for it. */
type LogIn = (redirectUrl: string | undefined, ctx: NativeContext) => Promise<void>;

export function loginTool(server: string, logIn: LogIn): NativeTool {
  return {
    name: "log_in",
    description: `Logs the user in at the server "${server}". Its other tools are available after the login.`,
    inputSchema: {
      type: "object",
      properties: {
        [REDIRECT_URL]: {
          type: "string",
          description: "The URL at which the user's browser has ended, if an earlier result asked for it.",
        },
      },
    },
    run: async (args: JsonObject, ctx) => {
      const { [REDIRECT_URL]: url } = args;
      await logIn(typeof url === "string" ? url : undefined, ctx);
      return {
        content: [{ type: "text", text: `You are logged in at "${server}". List the tools again to see its tools.` }],
      };
    },
  };
}
