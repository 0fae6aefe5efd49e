-- Reasons of dead letters are dropped by age.
create index dead_letters_age on dead_letters (tenant, died_at);
