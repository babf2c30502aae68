const ROLES = [
  "text",
  "heading",
  "button",
  "link",
  "textbox",
  "searchbox",
  "combobox",
  "checkbox",
  "radio",
  "switch",
  "tab",
  "option",
  "menuitem",
  "img",
  "image",
  "canvas",
  "cell",
  "gridcell",
  "row",
  "columnheader",
  "listitem",
  "slider",
  "spinbutton",
  "dialog",
  "label",
  "paragraph",
  "treeitem",
  "listbox",
  "progressbar",
  "status",
  "alert",
];

/** Rows of the role embedding table; the last stands for every role that is not listed. */
export const ROLE_COUNT = ROLES.length + 1;

/** Row of a role in the embedding table. */
export function roleIndex(role: string): number {
  const index = ROLES.indexOf(role);
  return index === -1 ? ROLES.length : index;
}

const CLICKABLE = new Set([
  "button",
  "link",
  "tab",
  "menuitem",
  "option",
  "gridcell",
  "treeitem",
  "img",
  "image",
]);
const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);

/** Elements that are there to be clicked and nothing else. */
export function isClickable(role: string): boolean {
  return CLICKABLE.has(role);
}

/** Elements that hold a yes or no. */
export function isCheckable(role: string): boolean {
  return CHECKABLE.has(role);
}
