/** The part of an App that talks to its host, as a script for the HTML of the fixtures. */
export const APP_CLIENT = `
  const answers = new Map();
  let nextId = 1;
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const notify = (method, params = {}) => post({ method, params });
  const request = (method, params = {}) =>
    new Promise((resolve) => {
      const id = nextId++;
      answers.set(id, resolve);
      post({ id, method, params });
    });
  const onNotification = {};
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    if (data.method === undefined) return answers.get(data.id)?.(data);
    if (data.id !== undefined) return post({ id: data.id, result: {} });
    onNotification[data.method]?.(data.params);
  });
  const start = async () => {
    const { result } = await request("ui/initialize", {
      appInfo: { name: "fixture", version: "1" },
      appCapabilities: {},
      protocolVersion: "2026-01-26",
    });
    notify("ui/notifications/initialized");
    return result;
  };
`;
