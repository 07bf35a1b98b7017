/**
 * The list of all methods of `HostControl`. The daemon's routes and the methods of a remote host are derived from it.
 * The table of a workspace's methods is in `workspace-methods.ts`.
 */
import { flag, object, options, text, wholeNumber } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import type { WorkspaceSpec } from "./host-api.ts";
import type { HostControl } from "./host-control.ts";
import type { SpecOf } from "../methods/method-spec.ts";

/** The name of a method on the wire, such as `host.info`. */
export type HostMethodPath = `host.${keyof HostControl}`;

type HostMethodTable = { readonly [Name in keyof HostControl as `host.${Name}`]: SpecOf<HostControl[Name]> };

export const HOST_METHODS: HostMethodTable = {
  "host.info": { right: "control_host", params: [] },
  "host.listen": {
    right: "control_host",
    // The daemon checks the content of the workspace.
    params: [
      object as ArgumentCheck<unknown> as ArgumentCheck<WorkspaceSpec>,
      options({ port: wholeNumber, keep: flag, host: text, publicUrl: text }),
    ],
  },
  "host.closePort": { right: "control_host", params: [] },
  "host.openPage": { right: "control_host", params: [] },
  "host.stop": { right: "control_host", params: [options({ force: flag })] },
};

export function isHostMethodPath(path: string): path is HostMethodPath {
  return Object.hasOwn(HOST_METHODS, path);
}
