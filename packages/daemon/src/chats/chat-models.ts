/** Opens the models of a chat: from its own setting, the config of the user, and the environment of its client. */
import type { ChatSpec, ModelChoices } from "@plugboard/contracts";
import { chooseModel, findLocalModels, openModel } from "@plugboard/agent";
import type { Model, ModelSources } from "@plugboard/agent";
import type { Host, OpenWorkspace } from "@plugboard/host/internal";

export class ChatModels {
  readonly #host: Host;
  readonly #spec: Pick<ChatSpec, "env">;
  /** Has the config. Set when the workspace is open. */
  workspace: OpenWorkspace | undefined;
  /** The model of the last turn, which is opened again only if a setting has changed. */
  #opened: { readonly key: string; readonly model: Promise<Model> } | undefined;

  constructor(host: Host, spec: Pick<ChatSpec, "env">) {
    this.#host = host;
    this.#spec = spec;
  }

  open(model: string | undefined): Promise<Model> {
    const sources = this.#sources(model);
    const key = JSON.stringify([sources.option, sources.config]);
    if (this.#opened?.key === key) return this.#opened.model;
    const opening = openModel({ ...sources, secret: (name) => this.#host.findSecret(name), findLocal });
    this.#opened = { key, model: opening };
    // A missing key may be set later.
    opening.catch(() => (this.#opened = undefined));
    return opening;
  }

  /** Returns undefined if no model is set, or an invalid one. */
  idOf(model: string | undefined): string | undefined {
    try {
      return chooseModel(this.#sources(model))?.id;
    } catch {
      return undefined;
    }
  }

  async choices(): Promise<ModelChoices> {
    const model = this.idOf(undefined);
    return { ...(model !== undefined && { model }), found: await findLocal() };
  }

  #sources(model: string | undefined): ModelSources {
    const { env } = this.#spec;
    return {
      env: { ...this.#host.env, ...env },
      ...(model !== undefined && { option: { model } }),
    };
  }
}

async function findLocal(): Promise<readonly string[]> {
  return (await findLocalModels()).flatMap(({ models }) => models);
}
