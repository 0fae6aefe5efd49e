// What the pages of the album need in the browser: acts, more of a list when it is reached, keys, the person's choices.
"use strict";

const album = {
  // Adds HTML that the server has escaped to the first element that matches.
  append(selector, html) {
    const place = document.querySelector(selector);
    if (!place) return;
    place.querySelectorAll("[data-more]").forEach((one) => one.remove());
    const box = document.createElement("template");
    box.innerHTML = html;
    place.append(box.content);
    album.watch(place);
  },
  // Adds it before what the element has, of which it keeps the first `most`.
  prepend(selector, html, most) {
    const place = document.querySelector(selector);
    if (!place) return;
    const box = document.createElement("template");
    box.innerHTML = html;
    place.prepend(box.content);
    [...place.children].slice(most).forEach((one) => one.remove());
  },
  reveal(id) {
    document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  },
  // Takes lines of erased memories out of the page; without ids it may be any memory.
  withdraw(ids) {
    document.querySelectorAll("[data-memory]").forEach((one) => {
      if (!ids || ids.includes(one.dataset.memory)) one.remove();
    });
  },
  // Asks for more when what has `data-more` comes near the window; each is asked for once.
  watch(root) {
    root.querySelectorAll("[data-more]").forEach((one) => album.near.observe(one));
  },
  near: new IntersectionObserver(
    (entries) => entries.filter((one) => one.isIntersecting).forEach(({ target }) => {
      album.near.unobserve(target);
      emitEvent("album", { ...target.dataset, act: "more" });
      // What came replaces it. If nothing came, it asks again.
      setTimeout(() => target.isConnected && album.near.observe(target), 10_000);
    }),
    { rootMargin: "800px" },
  ),
  async prefer(name, value, then) {
    await fetch("/album/preferences", { method: "POST", body: new URLSearchParams({ [name]: value }) });
    if (then) location.href = then;
    else location.reload();
  },
  // Shows on its buttons whether a memory is kept.
  kept(id, pinned) {
    document.querySelectorAll(`button[data-act="keep"][data-id="${CSS.escape(id)}"]`).forEach((button) => {
      button.dataset.pinned = pinned ? "1" : "";
      button.setAttribute("aria-pressed", pinned);
      button.firstChild.textContent = `${pinned ? "♥" : "♡"} ${button.dataset[pinned ? "kept" : "keep"]}`;
    });
  },
};

document.addEventListener("click", (event) => {
  const chosen = event.target.closest("[data-prefer]");
  if (chosen) return album.prefer(chosen.dataset.prefer, chosen.dataset.value, chosen.dataset.then);
  const acting = event.target.closest("[data-act]");
  if (acting) {
    event.preventDefault();
    emitEvent("album", { ...acting.dataset });
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") document.querySelectorAll("details.menu[open]").forEach((one) => one.removeAttribute("open"));
});

// Keys: / searches; j and k go through the cards of a page.
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, [contenteditable]") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    location.href = "/album/search";
    return;
  }
  const step = { j: 1, k: -1 }[event.key];
  if (!step) return;
  const links = [...document.querySelectorAll(".memory a.whole")];
  const at = links.indexOf(document.activeElement);
  links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
});

// The first elements come with the page's script. On a phone the way around is longer than the window.
let isAround = false;
new MutationObserver(() => {
  album.watch(document.body);
  const here = document.querySelector("nav [aria-current=page]");
  if (here && !isAround) {
    isAround = true;
    const list = here.closest("ul");
    list.scrollLeft = here.offsetLeft - list.clientWidth / 2 + here.clientWidth / 2;
  }
  // What is wider than a phone shows its middle, or its end, first.
  document.querySelectorAll(".figure:not(.seen)").forEach((one) => {
    one.classList.add("seen");
    one.scrollLeft = one.querySelector(".graph") ? (one.scrollWidth - one.clientWidth) / 2 : one.scrollWidth;
  });
}).observe(document.documentElement, { childList: true, subtree: true });

// The zone of the browser decides what "today" is.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
document.addEventListener("DOMContentLoaded", () => {
  if (zone && document.querySelector("[data-zone]")?.dataset.zone !== zone && !sessionStorage.zone) {
    sessionStorage.zone = zone;
    album.prefer("ricordo_zone", zone);
  }
});
