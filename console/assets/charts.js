// The charts: uPlot draws, this supplies the data. Lines differ in colour and dashes.
"use strict";
(() => {
  const AGE = 900, GAP = 12, MAX_LINES = 12;
  const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
  let data = null; // {times: [s], charts: {id: {names: [], lines: {name: [v]}}}}
  const plots = {};

  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function units(unit) {
    const short = v => Math.abs(v) >= 10 || v === 0 ? String(Math.round(v)) : String(+v.toPrecision(2));
    if (unit === "s") return v => v == null ? "–" : v === 0 ? "0" : v < 0.001 ? short(v * 1e6) + " µs" : v < 1 ? short(v * 1e3) + " ms" : short(v) + " s";
    if (unit === "B") return v => v == null ? "–" : v < 1e6 ? short(v / 1e3) + " KB" : v < 1e9 ? short(v / 1e6) + " MB" : (v / 1e9).toFixed(1) + " GB";
    return v => v == null ? "–" : (v >= 1e4 ? short(v / 1e3) + "k" : short(v)) + (unit || "");
  }

  // withGaps inserts an empty sample where no samples were taken for a while, so that no line is drawn across.
  function withGaps(news, last) {
    const times = [], from = [];
    news.times.forEach((t, i) => {
      t /= 1000;
      if (last !== undefined && t - last > GAP) { times.push(last + 1); from.push(-1); }
      times.push(t); from.push(i);
      last = t;
    });
    const charts = news.charts.map(c => ({id: c.id, series: c.series.map(s => ({name: s.name, values: from.map(i => i < 0 ? null : s.values[i])}))}));
    return {times, charts};
  }

  function merge(news) {
    if (!data) data = {times: [], charts: {}};
    const last = data.times[data.times.length - 1];
    news = withGaps(news, last);
    const before = data.times.length;
    data.times.push(...news.times);
    for (const chart of news.charts) {
      const mine = data.charts[chart.id] ||= {lines: {}};
      for (const one of chart.series) {
        const line = mine.lines[one.name] ||= Array(before).fill(null);
        line.push(...one.values);
      }
      for (const line of Object.values(mine.lines)) while (line.length < data.times.length) line.push(null);
    }
    const limit = data.times[data.times.length - 1] - AGE;
    let old = 0;
    while (old < data.times.length && data.times[old] < limit) old++;
    if (!old) return;
    data.times.splice(0, old);
    for (const chart of Object.values(data.charts)) {
      for (const [name, line] of Object.entries(chart.lines)) {
        line.splice(0, old);
        if (line.every(v => v === null)) delete chart.lines[name];
      }
    }
  }

  // names are the lines to draw: if there are very many, those with the highest values.
  function names(chart) {
    const all = Object.keys(chart.lines).sort();
    if (all.length <= MAX_LINES) return all;
    const top = name => chart.lines[name].reduce((a, v) => Math.max(a, v ?? 0), 0);
    return all.sort((a, b) => top(b) - top(a)).slice(0, MAX_LINES).sort();
  }

  function draw(id, chart) {
    const figure = document.getElementById("chart-" + id);
    if (!figure) return;
    const target = figure.querySelector(".plot");
    const shown = names(chart);
    const values = [data.times, ...shown.map(n => chart.lines[n])];
    const key = shown.join("\n");
    figure.classList.toggle("nothing", shown.length === 0);
    if (plots[id] && plots[id].key === key) {
      plots[id].plot.setData(values);
      return;
    }
    if (plots[id]) plots[id].plot.destroy();
    delete plots[id];
    if (!shown.length) return;
    const format = units(figure.dataset.unit);
    const axis = {stroke: css("--muted"), grid: {stroke: css("--line"), width: 1}, ticks: {show: false}, font: "11px system-ui, sans-serif"};
    const plot = new uPlot({
      width: target.clientWidth, height: 180,
      cursor: {sync: {key: "vedette"}, points: {size: 6}},
      legend: {live: true},
      scales: {x: {range: (u, min, max) => [Math.min(min, max - 60), max]}, y: {range: (u, min, max) => [0, max > 0 ? max * 1.1 : 1]}},
      axes: [{...axis, values: "{HH}:{mm}:{ss}", space: 80, size: 28}, {...axis, size: 58, values: (u, ticks) => ticks.map(format)}],
      series: [
        {label: "at", value: (u, v) => v == null ? "now" : new Date(v * 1000).toLocaleTimeString()},
        ...shown.map((name, i) => ({
          label: name, stroke: css("--series-" + (i % 8 + 1)), width: 1.75, dash: dashes[Math.floor(i / 8) % 4 || i % 4],
          points: {show: false}, spanGaps: false, value: (u, v, s, at) => format(at == null ? u.data[s].at(-1) : v),
        })),
      ],
    }, values, target);
    plots[id] = {plot, key};
  }

  function drawAll() {
    if (!data) return;
    for (const [id, chart] of Object.entries(data.charts)) draw(id, chart);
  }

  function redraw() {
    for (const id of Object.keys(plots)) { plots[id].plot.destroy(); delete plots[id]; }
    drawAll();
  }

  window.vedetteCharts = {
    history(h) { data = null; merge(h); drawAll(); },
    sample(h) { merge(h); drawAll(); },
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  let wait;
  addEventListener("resize", () => { clearTimeout(wait); wait = setTimeout(redraw, 150); });
})();
