/**
 * The ports through which the bridge of an App reaches the page. A port may reject with the error that the App gets.
 */
import type { JsonObject, ResourceContents, ToolResult } from "@plugboard/contracts";
import type { FileToSave } from "../components/save-file.ts";

export type DisplayMode = "inline" | "fullscreen";

/** A request of an App that needs the consent of the user, because it leaves the frame. */
export type AppRequest =
  | { readonly type: "link"; readonly url: string }
  | { readonly type: "download"; readonly files: readonly FileToSave[] }
  | { readonly type: "message"; readonly text: string };

export interface AppPorts {
  readonly post: (message: JsonObject) => void;
  /** The current time in milliseconds. */
  readonly now: () => number;
  readonly hostInfo: JsonObject;
  readonly hostContext: () => JsonObject;
  /** The settings of the sandbox: the origins that the App may use. */
  readonly sandbox: JsonObject;
  /** True for the App of a call in a chat. */
  readonly inChat: boolean;
  /** Calls a tool of the App's own server, by the permissions of the user. */
  readonly callTool: (name: string, args: JsonObject) => Promise<ToolResult>;
  /** Reads a resource of the App's own server. */
  readonly readResource: (uri: string) => Promise<readonly ResourceContents[]>;
  /** Lists the resources of the App's own server. */
  readonly listResources: () => Promise<readonly JsonObject[]>;
  /** Asks the user. Resolves to false if the user refuses. */
  readonly ask: (request: AppRequest) => Promise<boolean>;
  /** Does what the user has agreed to. */
  readonly carryOut: (request: AppRequest) => Promise<void>;
  /** Sets a text that goes to the model with the user's next message. */
  readonly setModelContext: (text: string) => void;
  readonly onHeight: (height: number) => void;
  /** Returns the resulting mode. */
  readonly setDisplayMode: (mode: string) => DisplayMode;
  readonly onLog: (level: string, text: string) => void;
  /** The App asks to be closed. */
  readonly onClose: () => void;
  /** The App breaks a limit. It gets no more answers. */
  readonly onStopped: (reason: string) => void;
}
