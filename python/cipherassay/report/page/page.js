// Draws the charts in the page's theme, and again when the theme changes.
const charts = JSON.parse(document.getElementById("charts").textContent);
const themes = JSON.parse(document.getElementById("themes").textContent);
const root = document.documentElement;
const darkWanted = window.matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : darkWanted.matches;
}

async function draw() {
  const config = themes[isDark() ? "dark" : "light"];
  const places = [...document.querySelectorAll("[data-chart]")];
  await Promise.all(places.map((place) =>
    window.vegaEmbed(place, { ...charts[place.dataset.chart], config }, { actions: false, renderer: "svg" })));
  root.dataset.drawn = String(places.length);
}

document.getElementById("theme").addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  draw();
});
darkWanted.addEventListener("change", draw);
draw();
