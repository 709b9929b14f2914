// Theme: the setting of the system, until the button overrides it.

const KEY = "ludens.theme";
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function apply() {
  const chosen = localStorage.getItem(KEY);
  document.documentElement.dataset.theme = chosen ?? (dark.matches ? "dark" : "light");
}

export function startTheme(button) {
  apply();
  dark.addEventListener("change", apply);
  button.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem(KEY, now);
    apply();
  });
}
