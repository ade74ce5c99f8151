package clientcmd

import restclient "vedette.dev/rest"

// PersistAuthProviderConfigForUser returns the persister of a user.
type PersistAuthProviderConfigForUser func(user string) restclient.AuthProviderConfigPersister

// PersisterForUser returns a persister that writes the config of an auth provider back to the file of its user. Auth
// providers were removed, so it is only useful for a program with one of its own.
func PersisterForUser(configAccess ConfigAccess, user string) restclient.AuthProviderConfigPersister {
	return &persister{configAccess, user}
}

type persister struct {
	access ConfigAccess
	user   string
}

func (p *persister) Persist(config map[string]string) error {
	changed, err := p.access.GetStartingConfig()
	if err != nil {
		return err
	}
	user := changed.AuthInfos[p.user]
	if user == nil || user.AuthProvider == nil {
		return nil
	}
	user.AuthProvider.Config = config
	return ModifyConfig(p.access, *changed, false)
}
