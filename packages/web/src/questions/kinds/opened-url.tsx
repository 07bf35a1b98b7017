import { sanitize } from "@plugboard/contracts";
import { isWebUrl } from "@plugboard/contracts/markdown";

/** The whole URL is shown before it is opened. Only web pages can be opened. */
export function OpenedUrl({ url, label = "Open the page" }: { url: string; label?: string }) {
  return (
    <>
      <div className="code-block" role="group" aria-label="URL" tabIndex={0}>
        <code>{sanitize(url)}</code>
      </div>
      {isWebUrl(url) && (
        <div>
          <a className="button button-primary" href={url} target="_blank" rel="noopener noreferrer">
            {label}
          </a>
        </div>
      )}
    </>
  );
}
