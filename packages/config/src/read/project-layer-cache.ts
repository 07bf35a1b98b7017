/**
 * Keeps the last valid version of each project file. If a project file becomes invalid, its last valid version
 * stays in effect, with its `deny` rules, and a problem is reported. All other files are read as usual. Each
 * workspace has its own cache.
 */
import { HostError } from "@plugboard/contracts";
import type { LayerOrigin } from "./find-layer-files.ts";
import type { Layer } from "./read-layer.ts";
import { configErrorToProblems } from "./config-error-to-problems.ts";

export class ProjectLayerCache {
  readonly #lastValid = new Map<string, Layer>();

  /** Forgets files that are no longer part of the config. */
  retainOnly(files: readonly string[]): void {
    for (const file of this.#lastValid.keys()) if (!files.includes(file)) this.#lastValid.delete(file);
  }

  async read(
    file: string,
    { source }: LayerOrigin,
    readLayer: () => Promise<Layer | undefined>,
  ): Promise<Layer | undefined> {
    try {
      const layer = await readLayer();
      if (layer) this.#lastValid.set(file, layer);
      else this.#lastValid.delete(file);
      return layer;
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "CONFIG_INVALID") throw error;
      const lastValid = this.#lastValid.get(file);
      const consequence = lastValid ? "its last valid version stays in effect" : "nothing in it takes effect";
      const effective = lastValid ?? { ...EMPTY_LAYER, source, file };
      return {
        ...effective,
        problems: [...configErrorToProblems(error, consequence), ...effective.problems],
        readError: error,
      };
    }
  }
}

const EMPTY_LAYER = {
  servers: [],
  switches: [],
  rules: [],
  sandboxDefault: undefined,
  terminalSandbox: undefined,
  naming: undefined,
  profiles: new Map(),
  gateway: undefined,
  model: undefined,
  problems: [],
};
