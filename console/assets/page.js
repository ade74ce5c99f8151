// The server sends the page again when it has changed; this updates the document without losing focus, selection or
// scroll position.
"use strict";
(() => {
  // morph makes a node look like another one, and touches only what differs.
  function morph(from, to) {
    if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName) {
      from.replaceWith(to);
      return;
    }
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
      return;
    }
    if (from.hasAttribute("data-keep") || from.isEqualNode(to)) return;
    // Input fields in use and selections are not changed.
    if (from.matches("form") && (from.contains(document.activeElement) || from.hasAttribute("data-touched"))) return;
    for (const {name} of [...from.attributes]) if (!to.hasAttribute(name)) from.removeAttribute(name);
    for (const {name, value} of [...to.attributes]) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
    morphChildren(from, to);
  }

  function morphChildren(from, to) {
    const news = [...to.childNodes];
    news.forEach((child, i) => {
      const old = from.childNodes[i];
      if (old) morph(old, child); else from.append(child);
    });
    while (from.childNodes.length > news.length) from.lastChild.remove();
  }

  const parser = new DOMParser();
  let source = null, paused = false;
  const button = () => document.getElementById("live");

  function say(text, state) {
    const b = button();
    if (b) { b.textContent = text; b.dataset.state = state; }
  }

  function open() {
    if (source || paused || document.hidden) return;
    const address = new URL(location.href);
    address.hash = "";
    address.searchParams.set("stream", "1");
    source = new EventSource(address);
    source.onopen = () => say("● live", "live");
    source.onerror = () => say("○ reconnecting", "lost");
    source.addEventListener("view", e => {
      say("● live", "live");
      morphChildren(document.getElementById("page"), parser.parseFromString("<div>" + e.data + "</div>", "text/html").body.firstChild);
    });
    for (const name of ["history", "sample"]) {
      source.addEventListener(name, e => window.vedetteCharts && window.vedetteCharts[name](JSON.parse(e.data)));
    }
  }

  function close() {
    if (source) source.close();
    source = null;
  }

  function toggle() {
    paused = !paused;
    if (paused) { close(); say("❚❚ paused", "paused"); } else { say("○ connecting", "lost"); open(); }
  }

  if (document.body.hasAttribute("data-live")) {
    // A tab in the background does not stream.
    document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else open(); });
    // Browsers keep pages that were left, with their streams, and limit the connections to a host.
    addEventListener("pagehide", close);
    addEventListener("pageshow", open);
    document.addEventListener("click", e => { if (e.target.closest("#live")) toggle(); });
    open();
  }

  document.addEventListener("input", e => { const f = e.target.closest("form"); if (f) f.setAttribute("data-touched", ""); });
  document.addEventListener("change", e => {
    if (e.target.matches(".find select")) e.target.form.requestSubmit();
  });
  document.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input, select, textarea")) return;
    if (e.key === "p" && button()) toggle();
    if (e.key === "/") {
      const field = document.querySelector("[data-search]");
      e.preventDefault();
      if (field) field.focus(); else location.href = "objects";
    }
    const tab = document.querySelectorAll("nav a")[Number(e.key) - 1];
    if (/^[1-9]$/.test(e.key) && tab) tab.click();
  });
})();
