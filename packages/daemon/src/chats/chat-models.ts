/** Opens the models of a chat: from its own setting, the config of the user, and the environment of its client. */
import { isHostError } from "@plugboard/contracts";
import type { ModelChoices } from "@plugboard/contracts";
import { chooseModel, findLocalModels, openModel } from "@plugboard/agent";
import type { Model, ModelSources } from "@plugboard/agent";
import { mergeModelVariables } from "@plugboard/agent/chat";
import type { ConfiguredModels } from "@plugboard/config";
import type { Host } from "@plugboard/host/core";
import type { OpenWorkspace } from "@plugboard/host/workspace";

export class ChatModels {
  readonly #host: Host;
  readonly #workspace: OpenWorkspace;
  readonly #env: ModelSources["env"];
  /** The model of the last turn. It is opened again only if a setting has changed or its key was rejected. */
  #opened: OpenedModel | undefined;

  /** `env`: the environment of the chat's client. */
  constructor(host: Host, workspace: OpenWorkspace, env: ModelSources["env"] = {}) {
    this.#host = host;
    this.#workspace = workspace;
    this.#env = mergeModelVariables(host.env, env);
  }

  async open(model: string | undefined): Promise<Model> {
    const sources = this.#sources(model);
    const { config } = sources;
    const before = this.#opened;
    if (before && before.setting === model && before.config === config) return before.model;
    const secret = (name: string) => this.#host.findSecret(name);
    const forget = () => (this.#opened = undefined);
    const opening = openModel({ ...sources, secret, findLocal }).then((opened) => onRejectedKey(opened, forget));
    this.#opened = { setting: model, config, model: opening };
    // A missing key may be set later.
    opening.catch(forget);
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

  #sources(model: string | undefined): ModelSources & { readonly config: ConfiguredModels } {
    return { env: this.#env, config: this.#workspace.models, ...(model !== undefined && { option: { model } }) };
  }
}

interface OpenedModel {
  readonly setting: string | undefined;
  readonly config: ConfiguredModels;
  readonly model: Promise<Model>;
}

async function findLocal(): Promise<readonly string[]> {
  return (await findLocalModels()).flatMap(({ models }) => models);
}

/** Calls `forget` if the provider rejects the key, so that the next turn reads it again. */
function onRejectedKey(model: Model, forget: () => void): Model {
  async function* stream(request: Parameters<Model["stream"]>[0]) {
    try {
      yield* model.stream(request);
    } catch (thrown) {
      const status = isHostError(thrown) && thrown.code === "MODEL_FAILED" ? thrown.details.status : undefined;
      if (status === 401 || status === 403) forget();
      throw thrown;
    }
  }
  return { ...model, stream };
}
