/** Records the notifications of a page, and lets a test click them. */
import type { Page } from "playwright-core";

export interface RecordedNotification {
  readonly title: string;
  readonly body: string;
  readonly closed: boolean;
}

/** Called before the page is opened. Headless Chromium shows no notifications, but creates and closes them. */
export async function recordNotifications(page: Page): Promise<void> {
  await page.addInitScript(`{
    const Real = window.Notification;
    window.shownNotifications = [];
    window.permissionRequests = 0;
    window.Notification = class extends Real {
      constructor(title, options) {
        super(title, options);
        this.isClosed = false;
        window.shownNotifications.push(this);
      }
      close() {
        this.isClosed = true;
        super.close();
      }
      static requestPermission() {
        window.permissionRequests++;
        return Real.requestPermission();
      }
    };
  }`);
}

export function shownNotifications(page: Page): Promise<RecordedNotification[]> {
  const read = "shownNotifications.map(({ title, body, isClosed }) => ({ title, body, closed: isClosed }))";
  return page.evaluate(read) as Promise<RecordedNotification[]>;
}

export async function clickNotification(page: Page, index: number): Promise<void> {
  await page.evaluate(`shownNotifications[${index}].dispatchEvent(new Event("click"))`);
}
