import { type Html, html } from "../core/html.ts";
import { longDate, TODAY } from "./dates.ts";

/** A date field: a button that opens a calendar, and the hidden input that holds the date. */
export function dateField(name: string, label: string, value: string): Html {
  const shown = value === "" ? label : `${label}: ${longDate(value)}`;
  return html`<span class="date"><button type="button" class="day-field" data-label="${label}" aria-haspopup="dialog"
    aria-expanded="false">${shown}</button><input type="hidden" name="${name}" value="${value}"></span>`;
}

export const DATE_PICKER_CSS = `
.date{position:relative;display:inline-block}.day-field{width:100%;text-align:left;background:#fff;color:#16324a;border:1px solid #9db7c9;white-space:nowrap}.day-field:hover{background:#eef5f9}
.calendar{position:absolute;z-index:5;top:calc(100% + 4px);left:0;width:262px;background:#fff;border:1px solid #9db7c9;border-radius:8px;padding:8px;box-shadow:0 6px 18px #0003}
.date:last-of-type .calendar{left:auto;right:0}.calendar .top{display:flex;justify-content:space-between;align-items:center;margin-bottom:6px;font-weight:bold}
.calendar .days{display:grid;grid-template-columns:repeat(7,1fr);gap:2px}.calendar i{font-size:10px;text-align:center;color:#6b8799;font-style:normal}
.calendar i::before{content:attr(data-d)}.calendar .days button{padding:5px 0;background:#eef5f9;color:#16324a;border:0;border-radius:4px;font-size:12px}
.calendar .days button:hover{background:#cfe4ef}.calendar .days button:disabled{color:#b5c4cd;background:none}
.calendar .top button{padding:3px 9px}
`;

/** Opens a calendar below the field; choosing a day fills the field and closes it. */
export const DATE_PICKER_SCRIPT = `
const MONTHS="January February March April May June July August September October November December".split(" ");
const two=n=>String(n).padStart(2,"0");
let open=null;
function shut(){if(open){open.pop.remove();open.field.setAttribute("aria-expanded","false");open=null}}
function draw(){
const{pop,year,month,field}=open;pop.replaceChildren();
const top=document.createElement("div");top.className="top";
const turn=(label,sign,by)=>{const b=document.createElement("button");b.type="button";b.textContent=sign;b.setAttribute("aria-label",label);
b.addEventListener("click",()=>{const m=open.year*12+open.month+by;open.year=Math.floor(m/12);open.month=m%12;draw()});return b};
const title=document.createElement("span");title.textContent=MONTHS[month]+" "+year;
top.append(turn("Previous month","‹",-1),title,turn("Next month","›",1));
const days=document.createElement("div");days.className="days";
for(const d of["Mo","Tu","We","Th","Fr","Sa","Su"]){const i=document.createElement("i");i.dataset.d=d;days.append(i)}
const first=(new Date(Date.UTC(year,month,1)).getUTCDay()+6)%7,count=new Date(Date.UTC(year,month+1,0)).getUTCDate();
for(let d=1;d<=count;d++){const b=document.createElement("button"),iso=year+"-"+two(month+1)+"-"+two(d),long=d+" "+MONTHS[month]+" "+year;
b.type="button";b.textContent=d;b.setAttribute("aria-label",long);b.disabled=iso<="${TODAY}";if(d===1)b.style.gridColumnStart=first+1;
b.addEventListener("click",()=>{field.nextElementSibling.value=iso;field.textContent=field.dataset.label+": "+long;shut();field.focus()});days.append(b)}
pop.append(top,days)}
for(const field of document.querySelectorAll(".day-field"))field.addEventListener("click",()=>{
const again=open&&open.field===field;shut();if(again)return;
const held=[field,...document.querySelectorAll(".day-field")].map(f=>f.nextElementSibling.value).find(Boolean)||"${TODAY}";
const pop=document.createElement("div");pop.className="calendar";pop.setAttribute("role","dialog");pop.setAttribute("aria-label",field.dataset.label);
field.parentElement.append(pop);field.setAttribute("aria-expanded","true");
open={field,pop,year:Number(held.slice(0,4)),month:Number(held.slice(5,7))-1};draw()});
document.addEventListener("keydown",e=>{if(e.key==="Escape")shut()});
`;
