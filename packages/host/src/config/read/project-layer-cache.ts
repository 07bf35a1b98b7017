/**
 * The layers of a project's files, each as it last could be read. Anybody who can
 * write into a project can break them, and must not thereby keep what the user's
 * own files say from taking effect: one that can't be read stands still alone, its
 * denials with it, and that is told. One object for each workspace.
 */
import { HostError } from "@plugboard/contracts";
import type { Layer, LayerOrigin } from "./read-layer.ts";
import { configErrorToProblem } from "./config-error-to-problem.ts";

export class ProjectLayerCache {
  readonly #lastValid = new Map<string, Layer>();

  /** What is not there any more says nothing any more. */
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
      const consequence = lastValid ? "what was read before stays in effect" : "nothing in it is in effect";
      const effective = lastValid ?? { ...EMPTY_LAYER, source, file };
      return {
        ...effective,
        problems: [configErrorToProblem(error, consequence), ...effective.problems],
        readError: error,
      };
    }
  }
}

const EMPTY_LAYER = { servers: [], switches: [], rules: [], naming: undefined, profiles: new Map(), problems: [] };
