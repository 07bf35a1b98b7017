/** Makes programs that download packages at every start use a cache of this server alone. Pure. */

/** Their caches contain code. In a shared one, a server could plant code that another server runs. */
export function cacheVariables(folder: string): { readonly [name: string]: string } {
  return {
    npm_config_cache: `${folder}/npm`,
    YARN_CACHE_FOLDER: `${folder}/yarn`,
    BUN_INSTALL_CACHE_DIR: `${folder}/bun`,
    DENO_DIR: `${folder}/deno`,
    UV_CACHE_DIR: `${folder}/uv`,
    UV_TOOL_DIR: `${folder}/uv-tools`,
    UV_PYTHON_INSTALL_DIR: `${folder}/uv-python`,
    PIP_CACHE_DIR: `${folder}/pip`,
  };
}
