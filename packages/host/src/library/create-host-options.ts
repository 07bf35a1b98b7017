/** The options of `createHost`. */
import type { ConfigLayer, WorkspaceSpec } from "@plugboard/contracts";
import type { OpenUrlPort } from "../auth/oauth/interactive-login.ts";
import type { ModelPort } from "../calls/sampling.ts";
import type { HostOptions } from "../core/host-options.ts";
import type { ProgramServer } from "../core/server-objects.ts";
import type { AnswerPort } from "../inbox/answer-port.ts";
import type { RootsPort } from "../workspace/workspace-roots.ts";

export interface CreateHostOptions
  extends
    Omit<
      HostOptions,
      "config" | "model" | "forwardsSampling" | "extensions" | "roots" | "openUrl" | "lingerMs" | "chats"
    >,
    Partial<Omit<WorkspaceSpec, "env" | "servers" | "lastValid">> {
  /**
   * The config layers to read. By default none is read, so the host has only this program's servers.
   * Restrictions of the managed layer always apply.
   */
  readonly config?: readonly ConfigLayer[];
  readonly servers?: { readonly [id: string]: ProgramServer };
  /** Whether a model gets the tools that list and read resources and prompts. By default the value of `nativeTools`. */
  readonly resourceTools?: boolean;
  readonly ports?: HostPorts;
}

/** Functions of the program that the host calls. */
export interface HostPorts {
  /** Answers the questions that this program's calls cause, and the questions of its workspace. */
  readonly answer?: AnswerPort;
  /** Samples a model for servers whose definition says `sampling: true`. The user is asked through `answer` first. */
  readonly model?: ModelPort;
  /** Returns the roots for servers of this program and of a project. Without it, this program's servers get none. */
  readonly roots?: RootsPort;
  /** Opens the login page in a browser. Without it, the question contains the URL and `answer` opens it. */
  readonly openUrl?: OpenUrlPort;
}
